"""A class whose browsers follow the teacher's."""
