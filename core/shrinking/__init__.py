"""What can be removed from a trained network: heads, bits, layers, single weights."""
