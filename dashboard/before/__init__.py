"""What the page "Before attention" is made of: its four sections, what they compute, and what they say."""
