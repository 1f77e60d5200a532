"""The fields of every answer, written down from the contract by hand, and how values look."""

TIME = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z"
ID = r"\A[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z"
TOKEN = r"\A[0-9a-f]{32}\Z"

CANONICAL = ("CREATED", "PENDING", "DELAYED", "SCHEDULED", "RUNNING", "RETRYING", "COMPLETED",
             "FAILED", "DEAD_LETTER", "CANCELLED", "REJECTED")
PRIORITIES = ("CRITICAL", "HIGH", "NORMAL", "LOW", "BULK")

BULKY = ("payload", "result", "checkpoint")
SUBMISSION = (
    "type", "queue", "payload", "payload_base64", "content_type", "priority", "delay_ms", "run_at",
    "idempotency_key", "idempotency", "unique", "retry", "timeouts", "timeout_is", "system_is", "depends_on",
    "tags", "correlation_id", "callback_url", "account", "cost", "draft", "traceparent", "ref")
JOB = SUBMISSION + (
    "id", "profile", "state", "canonical_state", "attempt", "max_attempts", "retry_count",
    "max_retries", "created_at", "updated_at", "scheduled_at", "started_at", "completed_at",
    "last_error", "error_type", "failure_category", "progress", "checkpoint", "cancel_requested",
    "result", "result_url", "parent_id", "redriven_from", "redriven_to", "previous_execution_id", "version")
RETRY = ("max_attempts", "strategy", "initial_ms", "multiplier", "max_ms", "jitter", "table_ms")
TIMEOUTS = ("execution_ms", "lease_ms", "lifetime_ms")
HISTORY = ("seq", "from", "to", "trigger", "at", "execution_id", "actor")
EXECUTION = (
    "execution_id", "job_id", "attempt", "previous_execution_id", "worker", "lease_version",
    "lease_expires_at", "deadline_at", "status", "claimed_at", "started_at", "committed_at",
    "finished_at", "failure")
FAILURE = ("category", "code", "message", "cause")
CLAIMED = ("execution_id", "lease_token", "lease_version", "lease_expires_at", "deadline_at",
           "attempt", "previous_execution_id", "job", "dependency_results")
DEPENDENCY_RESULT = ("job_id", "state", "result", "result_base64", "result_content_type",
                     "result_bytes")
QUEUE = ("name", "profile", "retry", "timeouts", "timeout_is", "system_is",
         "idempotency_window_ms", "max_payload_bytes", "max_pending", "max_running", "rate",
         "retention", "guards", "paused")
ACCOUNT = ("id", "tier", "available", "reserved", "captured", "granted")


def has(test, document, fields):
    missing = [name for name in fields if name not in document]
    test.assertEqual(missing, [], document)


def is_time(test, value):
    test.assertIsInstance(value, str)
    test.assertRegex(value, TIME)


def is_time_or_null(test, value):
    if value is not None:
        is_time(test, value)


def is_whole(test, value):
    test.assertIs(type(value), int)


def is_job(test, job, left_out=()):
    """Every field is there and of its kind."""
    has(test, job, [name for name in JOB if name not in left_out])
    test.assertRegex(job["id"], ID)
    test.assertIn(job["canonical_state"], CANONICAL)
    test.assertIn(job["priority"], PRIORITIES)
    for name in ("created_at", "updated_at"):
        is_time(test, job[name])
    for name in ("scheduled_at", "run_at", "started_at", "completed_at"):
        is_time_or_null(test, job[name])
    for name in ("attempt", "max_attempts", "retry_count", "max_retries", "version"):
        is_whole(test, job[name])
    for name in ("cancel_requested", "draft"):
        test.assertIs(type(job[name]), bool)
    has(test, job["retry"], RETRY)
    has(test, job["timeouts"], TIMEOUTS)
    test.assertIsInstance(job["tags"], dict)


def is_claimed(test, claimed):
    has(test, claimed, CLAIMED)
    test.assertRegex(claimed["execution_id"], ID)
    test.assertRegex(claimed["lease_token"], TOKEN)
    is_whole(test, claimed["attempt"])
    test.assertEqual(claimed["lease_version"], claimed["attempt"])
    is_time(test, claimed["lease_expires_at"])
    is_time(test, claimed["deadline_at"])
    is_job(test, claimed["job"])
    for one in claimed["dependency_results"]:
        has(test, one, DEPENDENCY_RESULT)


def is_execution(test, execution):
    has(test, execution, EXECUTION)
    test.assertNotIn("lease_token", execution)
    test.assertRegex(execution["execution_id"], ID)
    test.assertRegex(execution["job_id"], ID)
    is_time(test, execution["claimed_at"])
    if execution["failure"] is not None:
        has(test, execution["failure"], FAILURE)


def is_queue(test, queue):
    has(test, queue, QUEUE)
    has(test, queue["retry"], RETRY)
    has(test, queue["timeouts"], TIMEOUTS)
    has(test, queue["retention"], ("completed_ms", "failed_ms"))
    test.assertIs(type(queue["paused"]), bool)
