"""Models of ONNX as kernels: `mmk import model.onnx`, or import_model() of Python.

    mmk.onnx.import_model("mlp.onnx", "mlp")   # a folder with kernels, weights and run.py
"""

from mmk.onnx.errors import ModelError, NotImportable
from mmk.onnx.importer import Imported, import_model

__all__ = ["Imported", "ModelError", "NotImportable", "import_model"]
