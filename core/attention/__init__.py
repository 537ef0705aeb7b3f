"""One attention layer in numbers: its eight steps, a soft look-up, queries and keys in a plane, worked examples."""
