"""What the numbers say. Pure: values in, values out."""
