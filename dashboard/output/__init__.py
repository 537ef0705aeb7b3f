"""Output that pages share: charts, tables, downloads, predictions and common results."""
