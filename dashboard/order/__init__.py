"""What the page "Order" is made of: a module for each thing to look at, and what they share."""
