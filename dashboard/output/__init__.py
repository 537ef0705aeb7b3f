"""What pages show besides their own figures: charts, tables, downloads, notices and shared results."""
