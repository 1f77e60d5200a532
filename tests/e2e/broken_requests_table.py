"""Requests that nobody should send, as bytes. `all_requests` has every one with what is wrong."""

JOB = "aaaaaaaa-0000-4000-8000-000000000000"


def request(method, target, body=b"", *fields, host=b"Host: localhost"):
    lines = [b"%s %s HTTP/1.1" % (method, target), host, *fields]
    if body:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(line for line in lines if line is not None) + b"\r\n\r\n" + body


def post(body, target=b"/v1/jobs"):
    return request(b"POST", target, body, b"Content-Type: application/json")


def get(target):
    return request(b"GET", target)


def raw(head, body=b""):
    return head.replace(b"\n", b"\r\n") + body


# ---- Documents that are not JSON

NOT_JSON = [
    b"{", b"}", b"[", b"]", b"{]", b"[}", b'"', b"nul", b"tru", b"True", b"NaN", b"Infinity",
    b"-", b"+1", b"01", b"1.", b".5", b"1e", b"0x10", b"'a'", b"undefined", b"\x00", b" ", b"\n",
    b'{"type":"t"', b'{"type":"t"}}', b'{"type":"t"}x', b'{"type":"t"}{"type":"t"}',
    b'{"type":"t",}', b'{,"type":"t"}', b'{"type" "t"}', b'{"type"::"t"}', b'{type:"t"}',
    b"{'type':'t'}", b'{"type":"t" "queue":"q"}', b'{"type":"t"}\x00', b'\xef\xbb\xbf{"type":"t"}',
    b'{"type":"t","payload":}', b'{"type":"t","payload":[1,]}', b'{"type":"t","payload":[,1]}',
    b'{"type":"t","payload":{"a"}}', b'{"type":"t","payload":{"a":1,}}',
    b'{"type":"t","payload":01}', b'{"type":"t","payload":1.}', b'{"type":"t","payload":-}',
    b'{"type":"t","payload":1e}', b'{"type":"t","payload":1e+}', b'{"type":"t","payload":+1}',
    b'{"type":"t","payload":NaN}', b'{"type":"t","payload":tru}', b'{"type":"t","payload":truee}',
    b'{"type":"t","payload":"\\x41"}', b'{"type":"t","payload":"\\u12"}',
    b'{"type":"t","payload":"\\u12g4"}', b'{"type":"t","payload":"\n"}',
    b'{"type":"t","payload":"\x01"}', b'{"type":"t","payload":"\t"}', b'{"type":"t\\"}',
    b'{"type":"t","payload":/* */1}', b'{"type":"t"}// end',
    b"[" * 100000, b'{"a":' * 100000, b'{"type":"t","payload":' + b"[" * 600 + b"]" * 600 + b"}",
    b'{"type":"t","payload":' + b'{"a":' * 600 + b"1" + b"}" * 600 + b"}",
]

# ---- Text that is not UTF-8

NOT_UTF8 = [
    b'{"type":"\xff"}', b'{"type":"t","payload":"\xc3"}', b'{"type":"t","payload":"\xc3\x28"}',
    b'{"type":"t","payload":"\xc0\xaf"}', b'{"type":"t","payload":"\xe0\x80\xaf"}',
    b'{"type":"t","payload":"\xed\xa0\x80"}', b'{"type":"t","payload":"\xf5\x80\x80\x80"}',
    b'{"type":"t","payload":"\xf4\x90\x80\x80"}', b'{"type":"t","\xff":1}',
    b'{"type":"t","tags":{"\x80":"x"}}', b'{"type":"t","correlation_id":"\xfe"}',
    '{"type":"t"}'.encode("utf-16"), '{"type":"t"}'.encode("utf-32-be"),
    b'{"type":"t","correlation_id":"\\ud800"}', b'{"type":"t","tags":{"\\udc00":"x"}}',
]

# ---- JSON of the wrong shape, and values out of range

WRONG_SHAPES = [
    b"null", b"true", b"1", b'"t"', b"[]", b"{}", b'[{"type":"t"}]', b'{"type":null}',
    b'{"type":""}', b'{"type":[]}', b'{"type":"t","type":"u"}', b'{"TYPE":"t"}',
    b'{"type":"t","__proto__":{}}', b'{"type":"t","":1}', b'{"type":"t","queue":""}',
    b'{"type":"t","queue":"../etc"}\x20\x00', b'{"type":"t\\u0000"}', b'{"type":"a b"}',
    b'{"type":"t","priority":5}', b'{"type":"t","priority":-1}', b'{"type":"t","priority":1.0}',
    b'{"type":"t","priority":1e0}', b'{"type":"t","priority":99999999999999999999}',
    b'{"type":"t","priority":"normal"}', b'{"type":"t","priority":[]}',
    b'{"type":"t","delay_ms":-1}', b'{"type":"t","delay_ms":1e3}', b'{"type":"t","delay_ms":0.5}',
    b'{"type":"t","delay_ms":9223372036854775807}', b'{"type":"t","delay_ms":9223372036854775808}',
    b'{"type":"t","delay_ms":-9223372036854775809}', b'{"type":"t","delay_ms":1e400}',
    b'{"type":"t","delay_ms":"1"}', b'{"type":"t","delay_ms":true}',
    b'{"type":"t","run_at":0}', b'{"type":"t","run_at":""}',
    b'{"type":"t","run_at":"2030-13-01T00:00:00Z"}',
    b'{"type":"t","run_at":"2030-02-30T00:00:00Z"}',
    b'{"type":"t","run_at":"2030-01-01T25:00:00Z"}',
    b'{"type":"t","run_at":"2030-01-01"}', b'{"type":"t","run_at":"2030-01-01T00:00:00"}',
    b'{"type":"t","run_at":"99999-01-01T00:00:00Z"}',
    b'{"type":"t","delay_ms":1,"run_at":"2030-01-01T00:00:00Z"}',
    b'{"type":"t","retry":{"max_attempts":0}}', b'{"type":"t","retry":{"max_attempts":101}}',
    b'{"type":"t","retry":{"max_attempts":9223372036854775807}}',
    b'{"type":"t","retry":{"max_attempts":4294967297}}', b'{"type":"t","retry":{"multiplier":0}}',
    b'{"type":"t","retry":{"multiplier":1e308}}', b'{"type":"t","retry":{"multiplier":1e309}}',
    b'{"type":"t","retry":{"multiplier":"2"}}', b'{"type":"t","retry":{"strategy":"function"}}',
    b'{"type":"t","retry":{"table_ms":[1.5]}}', b'{"type":"t","retry":{"table_ms":1}}',
    b'{"type":"t","retry":{"initial_ms":9223372036854775807}}', b'{"type":"t","retry":[]}',
    b'{"type":"t","timeouts":{"lease_ms":0}}', b'{"type":"t","timeouts":{"lifetime_ms":-5}}',
    b'{"type":"t","timeouts":{"execution_ms":9223372036854775807}}',
    b'{"type":"t","depends_on":{}}', b'{"type":"t","depends_on":{"type":"AFTER"}}',
    b'{"type":"t","depends_on":{"jobs":"x"}}', b'{"type":"t","depends_on":{"jobs":[1]}}',
    b'{"type":"t","depends_on":{"jobs":["#r"]}}', b'{"type":"t","depends_on":[1]}',
    b'{"type":"t","depends_on":{"jobs":["aaaaaaaa-0000-4000-8000-000000000000"]}}',
    b'{"type":"t","tags":{"a":1}}', b'{"type":"t","tags":{"a":null}}',
    b'{"type":"t","tags":[["a","b"]]}',
    b'{"type":"t","tags":{"":"x"}}', b'{"type":"t","callback_url":"javascript:alert(1)"}',
    b'{"type":"t","callback_url":"http://"}', b'{"type":"t","callback_url":"file:///etc/passwd"}',
    b'{"type":"t","account":1}', b'{"type":"t","cost":-1}', b'{"type":"t","cost":1}',
    b'{"type":"t","cost":1e3}', b'{"type":"t","cost":9223372036854775808}',
    b'{"type":"t","draft":"true"}', b'{"type":"t","draft":true}', b'{"type":"t","ref":"r"}',
    b'{"type":"t","payload_base64":"!"}', b'{"type":"t","payload_base64":"YQ=="}\x0b',
    b'{"type":"t","payload_base64":"YQ=","content_type":"x"}', b'{"type":"t","payload_base64":1}',
    b'{"type":"t","payload":1,"payload_base64":"YQ=="}', b'{"type":"t","content_type":"text/html"}',
    b'{"type":"t","idempotency":"yes"}', b'{"type":"t","idempotency_key":""}',
    b'{"type":"t","idempotency_key":"%s"}' % (b"k" * 257), b'{"type":"%s"}' % (b"t" * 100000),
    b'{"type":"t","queue":"%s"}' % (b"q" * 100000), b'{"type":"t","%s":1}' % (b"f" * 100000),
    b'{"type":"t","payload":"%s"}' % (b"p" * (1 << 20)),
    b'{"type":"t","tags":{%s}}' % b",".join(b'"%d":""' % n for n in range(10000)),
    b'{"type":"t","depends_on":{"jobs":[%s]}}' % b",".join([b'"x"'] * 1001),
]

# ---- Other calls

EXECUTION = b"/v1/executions/aaaaaaaa-0000-4000-8000-000000000001/"
OTHER_BODIES = [
    (b"/v1/jobs/batch", b'{"jobs":[]}'), (b"/v1/jobs/batch", b'{"jobs":{}}'),
    (b"/v1/jobs/batch", b'{"jobs":[1]}'), (b"/v1/jobs/batch", b'{"jobs":[null]}'),
    (b"/v1/jobs/batch", b'{"jobs":[{"type":"t"}],"atomic":1}'),
    (b"/v1/jobs/batch", b'{"jobs":[%s]}' % b",".join([b'{"type":"t"}'] * 1001)),
    (b"/v1/jobs/batch", b'{"jobs":[{"type":"t","ref":"a"},{"type":"t","ref":"a"}]}'),
    (b"/v1/jobs/bulk", b'{"action":"delete","filter":{}}'),
    (b"/v1/jobs/bulk", b'{"action":"delete","filter":{"type":null},"dry_run":false}'),
    (b"/v1/jobs/bulk", b'{"action":"delete","filter":[],"dry_run":false}'),
    (b"/v1/jobs/bulk", b'{"action":"delete","filter":{"created_after":"x"},"dry_run":false}'),
    (b"/v1/claims", b'{"queues":["q"],"worker":"w","max":-1}'),
    (b"/v1/claims", b'{"queues":["q"],"worker":"w","max":9999999999}'),
    (b"/v1/claims", b'{"queues":["q"],"worker":"w","wait_ms":9223372036854775807}'),
    (b"/v1/claims", b'{"queues":["q"],"worker":"w","lease_ms":9223372036854775807}'),
    (b"/v1/claims", b'{"queues":[%s],"worker":"w"}' % b",".join([b'"q"'] * 1001)),
    (b"/v1/executions/batch", b'{"ops":[{}]}'), (b"/v1/executions/batch", b'{"ops":[[]]}'),
    (b"/v1/executions/batch", b'{"ops":1}'), (b"/v1/executions/batch", b'{"claim":{}}'),
    (b"/v1/executions/x/ack", b'{"lease_token":"x"}'),
    (EXECUTION + b"ack", b"{}"), (EXECUTION + b"ack", b'{"lease_token":1}'),
    (EXECUTION + b"ack", b'{"lease_token":"x"}'),
    (EXECUTION + b"ack", b'{"lease_token":"x","result":1,"result_base64":"YQ=="}'),
    (EXECUTION + b"heartbeat", b'{"lease_token":"x","progress":101}'),
    (EXECUTION + b"nack", b'{"lease_token":"x","category":"WORSE"}'),
    (EXECUTION + b"spawn", b'{"lease_token":"x","jobs":{}}'),
    (b"/v1/accounts/a/grant", b'{"amount":9223372036854775808}'),
    (b"/v1/accounts/a/grant", b'{"amount":-9223372036854775808}'),
    (b"/v1/jobs/" + JOB.encode() + b"/cancel", b'{"force":"yes"}'),
]

# ---- Paths and queries

TARGETS = [
    b"/v1/jobs/x", b"/v1/jobs/%", b"/v1/jobs/%2", b"/v1/jobs/%zz", b"/v1/jobs/%00", b"/v1/jobs/%ff",
    b"/v1/jobs/%c0%af", b"/v1/jobs/..%2f..%2fetc%2fpasswd", b"/v1/../v1/jobs", b"/v1/./jobs",
    b"/v1/jobs/", b"//v1/jobs", b"/v1/jobs;a=b", b"/v1/jobs/" + b"a" * 5000,
    b"/v1/jobs/" + JOB.encode() + b"0", b"/v1/jobs/" + JOB.upper().encode(),
    b"/v1/jobs/{" + JOB.encode() + b"}", b"/v1/jobs/" + JOB.replace("-", "").encode(),
    b"/v1/jobs?limit=0", b"/v1/jobs?limit=-1", b"/v1/jobs?limit=1001", b"/v1/jobs?limit=0x10",
    b"/v1/jobs?limit=99999999999999999999", b"/v1/jobs?limit=", b"/v1/jobs?limit",
    b"/v1/jobs?limit=1&limit=2", b"/v1/jobs?cursor=n", b"/v1/jobs?cursor=n-5",
    b"/v1/jobs?cursor=%00", b"/v1/jobs?nonsense=1", b"/v1/jobs?=1", b"/v1/jobs?%=1",
    b"/v1/jobs?queue=%", b"/v1/jobs?queue=%f", b"/v1/jobs?queue=%ff", b"/v1/jobs?queue=%0a",
    b"/v1/jobs?tag=x", b"/v1/jobs?canonical_state=x", b"/v1/jobs?created_after=1",
    b"/v1/jobs?include=payload,x", b"/v1/jobs?a[b]=c", b"/v1/events?job=x", b"/v1/stats?x=1",
    b"/v1/jobs/" + JOB.encode() + b"/wait?timeout_ms=-1",
    b"/v1/jobs/" + JOB.encode() + b"/wait?timeout_ms=300001", b"/v1/queues/%20",
    b"/v1/queues?limit=x", b"/v1/accounts/a/entries?cursor=x", b"/" + b"x" * 8000, b"/healthz/",
    b"/v1/jobs/batch", b"/v1/claims", b"/\xc3\xa4", b"/v1/queues/\xff",
]

# ---- Methods

METHODS = [
    (b"TRACE", b"/"), (b"CONNECT", b"/"), (b"OPTIONS", b"/v1/jobs"), (b"BREW", b"/v1/jobs"),
    (b"get", b"/healthz"), (b"POST", b"/healthz"), (b"DELETE", b"/v1/jobs"), (b"PUT", b"/v1/jobs"),
    (b"PATCH", b"/v1/queues/q"), (b"PROPFIND", b"/"), (b"G" * 40, b"/"),
]

# ---- HTTP itself

HEADS = [
    ("no version", b"GET /healthz\n\n"), ("no target", b"GET HTTP/1.1\nHost: localhost\n\n"),
    ("two spaces", b"GET  /healthz HTTP/1.1\nHost: localhost\n\n"),
    ("a space in the target", b"GET /health z HTTP/1.1\nHost: localhost\n\n"),
    ("a tab in the request line", b"GET\t/healthz HTTP/1.1\nHost: localhost\n\n"),
    ("a space at the end", b"GET /healthz HTTP/1.1 \nHost: localhost\n\n"),
    ("a space before the method", b" GET /healthz HTTP/1.1\nHost: localhost\n\n"),
    ("small letters in the version", b"GET /healthz http/1.1\nHost: localhost\n\n"),
    ("a version that is none", b"GET /healthz HTTP/1.x\nHost: localhost\n\n"),
    ("nonsense", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n"),
    ("a control character in the target", b"GET /\x01 HTTP/1.1\nHost: localhost\n\n"),
    ("a whole address as the target of another host", b"GET ftp://x/ HTTP/1.1\nHost: localhost\n\n"),
    ("an asterisk", b"GET * HTTP/1.1\nHost: localhost\n\n"), ("no host", b"GET /healthz HTTP/1.1\n\n"),
    ("two hosts", b"GET /healthz HTTP/1.1\nHost: localhost\nHost: localhost\n\n"),
    ("a host with a slash", b"GET /healthz HTTP/1.1\nHost: x/y\n\n"),
    ("a space before the colon", b"GET /healthz HTTP/1.1\nHost : x\n\n"),
    ("a folded line", b"GET /healthz HTTP/1.1\nHost: localhost\nA: b\n c\n\n"),
    ("a field without a colon", b"GET /healthz HTTP/1.1\nHost: localhost\nnonsense\n\n"),
    ("a field without a name", b"GET /healthz HTTP/1.1\nHost: localhost\n: a\n\n"),
    ("a name with a space", b"GET /healthz HTTP/1.1\nHost: localhost\nA b: c\n\n"),
    ("a zero byte in a field", b"GET /healthz HTTP/1.1\nHost: localhost\nA: b\x00c\n\n"),
    ("fields that are too long", b"GET /healthz HTTP/1.1\nHost: localhost\nA: " + b"a" * 20000 + b"\n\n"),
    ("too many fields", b"GET /healthz HTTP/1.1\nHost: localhost\n" + b"A: b\n" * 5000 + b"\n"),
    ("a target that is too long", b"GET /" + b"a" * 9000 + b" HTTP/1.1\nHost: localhost\n\n"),
    ("an unknown expectation",
     b"POST /v1/jobs HTTP/1.1\nHost: localhost\nExpect: tea\nContent-Length: 1\n\n1"),
]

SMUGGLING = [
    ("a lone LF", b"GET /healthz HTTP/1.1\nHost: localhost\n\n"),
    ("a lone CR in a field", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: b\rC: d\r\n\r\n"),
    ("LF between the fields", b"GET /healthz HTTP/1.1\r\nHost: localhost\nA: b\r\n\r\n"),
]

LENGTHS = [
    b"Content-Length: -1", b"Content-Length: +1", b"Content-Length: 1x", b"Content-Length: 0x1",
    b"Content-Length: 1 1", b"Content-Length: ", b"Content-Length: 1, 2", b"Content-Length: 1.0",
    b"Content-Length: 99999999999999999999999", b"Content-Length: 1\r\nContent-Length: 2",
    b"Content-Length: 1\r\nContent-Length: 1",
    b"Content-Length: 5\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: ",
    b"Transfer-Encoding: chunked, identity", b"Content-Length: 67108865",
]

CHUNKS = [
    b"x\r\n", b"-1\r\n", b"+1\r\n1\r\n0\r\n\r\n", b"0x1\r\n1\r\n0\r\n\r\n",
    b"1\r\n12\r\n0\r\n\r\n", b"2\r\n1\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n",
    b"7fffffffffffffff\r\n", b"1 \r\n1\r\n0\r\n\r\n", b"1\n1\r\n0\r\n\r\n", b"\r\n1\r\n0\r\n\r\n",
    b"1;" + b"a" * 20000 + b"\r\n1\r\n0\r\n\r\n", b"0\r\nA: " + b"b" * 20000 + b"\r\n\r\n",
    b"0\r\nnonsense\r\n\r\n", b"c\r\n{\"type\":\"t\"}0\r\n\r\n",
]

CONTENT_TYPES = [
    b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x",
    b"application/jso", b"application/json2", b"application/json,text/plain", b"*/*", b"",
    b"application/problem+json",
]


def all_requests():
    """Every row as (what is wrong, bytes)."""
    for body in NOT_JSON:
        yield "not JSON", post(body)
    for body in NOT_UTF8:
        yield "not UTF-8", post(body)
    for body in WRONG_SHAPES:
        yield "a wrong submission", post(body)
    for target, body in OTHER_BODIES:
        yield "a wrong body", post(body, target)
    yield "no body", request(b"POST", b"/v1/jobs")
    yield "a body where none belongs", request(b"GET", b"/v1/stats", b"{}",
                                                  b"Content-Type: application/json")
    yield "a body that is too large", post(b" " * ((20 << 20) + 1))
    for target in TARGETS:
        yield "a wrong target", get(target)
    for method, target in METHODS:
        yield "a wrong method", request(method, target)
    for what, head in HEADS:
        yield what, raw(head)
    yield from SMUGGLING
    for field in LENGTHS:
        yield "a wrong length", request(b"POST", b"/v1/jobs", b"", field) + b"1"
    for chunks in CHUNKS:
        yield "a wrong chunk", request(b"POST", b"/v1/jobs", b"",
                                       b"Content-Type: application/json",
                                       b"Transfer-Encoding: chunked") + chunks
    for kind in CONTENT_TYPES:
        yield "a wrong content type", request(b"POST", b"/v1/jobs", b'{"type":"t"}',
                                              b"Content-Type: " + kind)


# What HTTP itself answers with 5xx: not the server's fault, and not the client's words either.
NOT_IMPLEMENTED = [
    (501, request(b"POST", b"/v1/jobs", b"", b"Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n"),
    (501, request(b"POST", b"/v1/jobs", b"", b"Transfer-Encoding: chunked, chunked")
     + b"0\r\n\r\n"),
    (505, b"GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n"),
    (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
]
