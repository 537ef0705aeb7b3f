"""A cache of computed values for all visitors, and turns at the processor."""
