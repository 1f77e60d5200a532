#!/usr/bin/python3
"""Writes what a fuzz target begins with: inputs, and a dictionary of words to put into them.

Both come from what is in the tree already: the examples and schemas of the HTTP description, and
the table of broken requests. Usage: seeds.py <target> <folder>; the dictionary is <folder>.dict.
"""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/e2e"))
import broken_requests_table as broken  # noqa: E402

API = json.loads((ROOT / "spec/openapi.json").read_text(encoding="utf-8"))
MAX_BYTES = 4096
# At least as many as any target has rows to choose from by an input's first byte.
CHOICES = 24
JOB = broken.JOB
TEXTS = {"date-time": "2030-01-02T03:04:05.006Z", "uuid": JOB, "byte": "YWJj"}


def sample(schema, depth=0):
    """A value of this schema with every member that it may have."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return sample(API["components"]["schemas"][name], depth + 1)
    for key in ("example", "const"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if "allOf" in schema:
        return {key: value for part in schema["allOf"] for key, value in sample(part, depth).items()}
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return sample(schema[key][0], depth)
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        members = schema.get("properties", {}) if depth < 8 else {}
        return {name: sample(member, depth + 1) for name, member in members.items()}
    if kind == "array":
        return [sample(schema.get("items", {}), depth + 1)] if depth < 8 else []
    plain = {"string": TEXTS.get(schema.get("format"), "a"), "integer": 1, "number": 1.5,
             "boolean": True}
    return plain.get(kind)


def found(node, wanted):
    """Every value that stands under one of the wanted names, anywhere in the description."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in wanted:
                yield value
            yield from found(value, wanted)
    elif isinstance(node, list):
        for value in node:
            yield from found(value, wanted)


def words():
    names = {name for members in found(API, ("properties",)) for name in members}
    values = {value for row in found(API, ("enum",)) for value in row if isinstance(value, str)}
    return sorted(names | values)


def dumped(value):
    return json.dumps(value, separators=(",", ":")).encode()


def bodies():
    """What is sent to the server."""
    yield from (dumped(value) for value in found(API, ("example",)))
    for name in ("Submission", "Claim", "Op", "QueueSettings", "Filter"):
        yield dumped(sample(API["components"]["schemas"][name]))
    yield from broken.NOT_JSON + broken.NOT_UTF8 + broken.WRONG_SHAPES
    yield from (body for _, body in broken.OTHER_BODIES)
    token = b'{"lease_token":"0123456789abcdef0123456789abcdef",'
    yield from (b'{"type":"t","tags":{"a":"1","a":"2"}}', b'{"type":"t","payload":null}', b'{"type":"t","payload_base64":""}',
                b'{"type":"t","payload_base64":"","content_type":"application/json"}',
                b'{"type":"t","payload_base64":"bnVsbA==","content_type":"text/plain"}',
                b'{"type":"t","run_at":"9999-12-31T23:59:59.999Z","tags":{"b":"","a":"\\u0000"}}',
                token + b'"result":null}', token + b'"result_base64":""}',
                token + b'"checkpoint":null,"message":""}',
                token + b'"checkpoint":{"base64":"YQ=="},"progress":0}',
                token + b'"category":"PERMANENT","code":"c","retry_after_ms":-1}',
                b'{"max_pending":null,"max_running":0,"rate":null,"max_payload_bytes":0}')


def shapes():
    """What the server answers."""
    for schema in API["components"]["schemas"].values():
        value = sample(schema)
        yield dumped(value)
        for wrapper in ("jobs", "history", "executions", "queues", "entries", "results"):
            yield dumped({wrapper: [value], "next_cursor": "n5"})
        yield dumped({"job": value})
    yield b'{"code":"rate_limited","retry_after_ms":-1,"index":-1,"status":1}'
    yield from broken.NOT_JSON


def responses():
    for body in (b"", b'{"a":1}'):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nRetry-After: 3\r\n"
        yield head + b"Content-Length: %d\r\n\r\n" % len(body) + body
        yield head + b"Connection: close\r\n\r\n" + body
        yield (head + b"Transfer-Encoding: chunked\r\n\r\n" +
               (b"%x;x=y\r\n%s\r\n" % (len(body), body) if body else b"") + b"0\r\nA: b\r\n\r\n")
        yield b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\n" + body
    yield b"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n"


def requests():
    every = [data for _, data in broken.all_requests() if len(data) <= MAX_BYTES]
    every += [data for _, data in broken.NOT_IMPLEMENTED]
    good = broken.post(b'{"type":"t"}') + broken.get(b"/v1/jobs?limit=3")
    chunked = broken.request(b"POST", b"/v1/jobs", b"", b"Transfer-Encoding: chunked",
                             b"Expect: 100-continue") + b"3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n"
    yield from every + [good, chunked, chunked + good, good + every[0]]


def texts():
    for target in broken.TARGETS:
        yield target
        yield target.partition(b"?")[2]
        yield target.rpartition(b"/")[2]
    yield from (b"2030-01-02T03:04:05.006Z", b"2030-01-02t03:04:05+01:30",
                b"9999-12-31T23:59:59.999Z", b"9999-12-31T23:59:59-23:59",
                b"1970-01-01T00:00:00+00:00", b"n5", b"YWJjZA==",
                JOB.encode(), JOB.encode()[:-1] + b"1", b"0123456789abcdef" * 2,
                b"http://[::1]:2286/baton", b"https://example.org", b"http://[[a]",
                b"a=1&b=x+y&c=%c3%a4",
                b"queue=q&state=s&canonical_state=RUNNING&type=t&tag=a:b&correlation_id=c&account=a"
                b"&created_after=2030-01-02T03:04:05Z&created_before=2031-01-02T03:04:05Z"
                b"&include=payload,result,checkpoint&cursor=n7&limit=12", b"timeout_ms=30000")


def chosen(inputs, bytes_before, choices=CHOICES):
    """Each input once for every choice that its first byte can make."""
    return (bytes([choice]) * bytes_before + data for data in inputs for choice in range(choices))


HTTP_WORDS = ["\\x0d\\x0a", "\\x0d\\x0a\\x0d\\x0a", " HTTP/1.1\\x0d\\x0a", " HTTP/1.0\\x0d\\x0a",
              "Host: ", "Content-Length: ", "Transfer-Encoding: chunked", "Connection: close",
              "Connection: keep-alive", "Expect: 100-continue", "0\\x0d\\x0a\\x0d\\x0a", "GET /",
              "POST /", "HTTP/1.1 200 ", "Retry-After: ", "Content-Type: "]
JSON_WORDS = ["{", "}", "[", "]", ",", ":", "null", "true", "false", "\\\\ud800", "\\\\u0000",
              "1e999", "-0", "9223372036854775807", "9223372036854775808", "1.5"]


def names_as(form):
    return [form % word for word in words()]


TARGETS = {
    "http_parser": (lambda: chosen(requests(), 1, 2), lambda: HTTP_WORDS),
    "json": (lambda: [*bodies(), *shapes()], lambda: JSON_WORDS),
    "codecs": (lambda: chosen(bodies(), 1), lambda: JSON_WORDS + names_as('\\"%s\\":')
               + names_as('\\"%s\\"')),
    "query": (lambda: chosen(texts(), 1, 9), lambda: names_as("&%s=") + ["%%%02x" % byte for byte in range(0, 256, 7)]
              + ["http://", "https://", "T00:00:00Z", "-23:59"]),
    "answers": (lambda: [*chosen(responses(), 2), *chosen(shapes(), 2)],
                lambda: HTTP_WORDS + JSON_WORDS + names_as('\\"%s\\":')),
}


def main():
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    inputs, dictionary = TARGETS[target]
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs():
        if len(data) <= MAX_BYTES:
            (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    lines = [f'"{word}"\n' for word in dict.fromkeys(dictionary())]
    pathlib.Path(f"{folder}.dict").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
