"""Makes what is run: the apps' jars and the images."""
