"""One attention layer in numbers: its eight steps, the equations behind every cell, examples for pencil and paper."""
