"""What layers cost: counted by formula as the sequence grows, and measured on this machine."""
