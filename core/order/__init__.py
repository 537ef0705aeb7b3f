"""How a set is told its order: ways of giving positions, what models have learned of them, and shuffled tokens."""
