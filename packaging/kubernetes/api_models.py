# SPDX-License-Identifier: Apache-2.0
"""Compares a manifest with the models of Kubernetes' API that Debian has (python3-kubernetes, made from the OpenAPI of 1.22).

No API server is needed. Unknown fields, wrong types and missing required fields are told with where they stand. Fields
that the API has got since are listed here, with the version that brought them.
"""
import re

from kubernetes.client import models

# (model, field): the type of its value, as the models tell types. They are in the API from the named version on.
NEWER = {
    ("V1SecurityContext", "appArmorProfile"): "AppArmorProfile",  # 1.30
    ("V1PodSecurityContext", "appArmorProfile"): "AppArmorProfile",  # 1.30
    ("AppArmorProfile", "type"): "str",
    ("AppArmorProfile", "localhostProfile"): "str",
}
REQUIRED_OF_NEWER = {"AppArmorProfile": ["type"]}
KINDS = {("apps/v1", "DaemonSet"): "V1DaemonSet", ("batch/v1", "Job"): "V1Job", ("v1", "ConfigMap"): "V1ConfigMap",
         ("v1", "PersistentVolumeClaim"): "V1PersistentVolumeClaim", ("v1", "Namespace"): "V1Namespace",
         ("v1", "Secret"): "V1Secret"}
PLAIN = {"str": str, "int": int, "bool": bool, "object": object, "float": (int, float)}


def fields_of(model: str) -> dict[str, str]:
    """A model's fields by their names in manifests, with their types."""
    known = {field: kind for (of, field), kind in NEWER.items() if of == model}
    of_api = getattr(models, model, None)
    if of_api is not None:
        known |= {name: of_api.openapi_types[attribute] for attribute, name in of_api.attribute_map.items()}
    return known


def required_of(model: str) -> list[str]:
    """Fields whose setters refuse to take nothing: the models keep no other list of them."""
    of_api = getattr(models, model, None)
    if of_api is None:
        return REQUIRED_OF_NEWER.get(model, [])

    def refuses_nothing(attribute: str) -> bool:
        constants = getattr(of_api, attribute).fset.__code__.co_consts
        return any(isinstance(text, str) and "must not be `None`" in text for text in constants)

    return [name for attribute, name in of_api.attribute_map.items() if refuses_nothing(attribute)]


def faults(value, kind: str, where: str) -> list[str]:
    """What is wrong with a value of that type."""
    if (parts := re.fullmatch(r"list\[(.*)\]", kind)) is not None:
        if not isinstance(value, list):
            return [f"{where} is no list"]
        return [fault for i, one in enumerate(value) for fault in faults(one, parts[1], f"{where}[{i}]")]
    if (parts := re.fullmatch(r"dict\(str, (.*)\)", kind)) is not None:
        if not isinstance(value, dict):
            return [f"{where} is no map"]
        return [fault for key, one in value.items() for fault in faults(one, parts[1], f"{where}.{key}")]
    if kind in PLAIN:
        # A bool is an int to Python, and a quantity may be written as a number.
        right = isinstance(value, PLAIN[kind]) and not (kind == "int" and isinstance(value, bool))
        return [] if right else [f"{where} is {value!r}, not of type {kind}"]
    fields = fields_of(kind)
    if not fields:
        return [] if kind == "datetime" else [f"{where}: the API's type {kind} is not known"]
    if not isinstance(value, dict):
        return [f"{where} is no {kind}"]
    found = [f"{where} has no field {name} in the API" for name in value if name not in fields]
    found += [f"{where} lacks {name}" for name in required_of(kind) if value.get(name) is None]
    for name, one in value.items():
        if name in fields:
            found += faults(one, fields[name], f"{where}.{name}")
    return found


def faults_of_manifest(document: dict) -> list[str]:
    kind = KINDS.get((document.get("apiVersion"), document.get("kind")))
    if kind is None:
        return [f"there is no {document.get('kind')} of {document.get('apiVersion')} among the kinds compared"]
    return faults(document, kind, document["kind"])
