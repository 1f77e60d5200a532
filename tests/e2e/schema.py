"""A validator for the part of JSON Schema that spec/openapi.yaml uses."""

KINDS = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
KNOWN = {"type", "properties", "required", "items", "enum", "$ref", "additionalProperties",
         "description", "format", "default", "example", "minimum", "maximum", "minItems",
         "maxItems", "maxLength", "oneOf"}


class Schemas:
    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        """What a reference stands for; anything else is itself."""
        while isinstance(node, dict) and "$ref" in node:
            found = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            node = found
        return node

    def faults(self, value, schema, where="answer"):
        """Everything about the value that the schema does not allow, as texts."""
        schema = self.resolve(schema)
        unknown = set(schema) - KNOWN
        if unknown:
            yield f"{where}: the schema has {unknown}, which this validator does not know"
        if not self.fits_type(value, schema):
            yield f"{where}: {value!r} is not {schema['type']}"
            return
        if "oneOf" in schema:
            fits = [one for one in schema["oneOf"] if not list(self.faults(value, one, where))]
            if len(fits) != 1:
                yield f"{where}: {value!r} fits {len(fits)} of {schema['oneOf']}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where}: {value!r} is none of {schema['enum']}"
        yield from self.size_faults(value, schema, where)
        if isinstance(value, dict):
            yield from self.object_faults(value, schema, where)
        if isinstance(value, list) and "items" in schema:
            for number, item in enumerate(value):
                yield from self.faults(item, schema["items"], f"{where}[{number}]")

    def fits_type(self, value, schema):
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return not kinds or any(KINDS[kind](value) for kind in kinds)

    def size_faults(self, value, schema, where):
        if KINDS["number"](value):
            if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
                yield f"{where}: {value} is out of range"
        if isinstance(value, list):
            size = len(value)
            if not schema.get("minItems", size) <= size <= schema.get("maxItems", size):
                yield f"{where}: {size} elements are too many or too few"

    def object_faults(self, value, schema, where):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}.{name} is missing"
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for name, member in value.items():
            if name in properties:
                yield from self.faults(member, properties[name], f"{where}.{name}")
            elif others is False:
                yield f"{where}.{name} is not in the schema"
            elif isinstance(others, dict):
                yield from self.faults(member, others, f"{where}.{name}")
