"""What runs models that people have: LiteRT, ONNX Runtime and transformers, one module each."""
