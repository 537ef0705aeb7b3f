"""Classes whose browsers follow that of the teacher."""
