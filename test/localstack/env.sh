# Sourced by the other scripts: where things are, and LocalStack's settings for running on the host, offline.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
LS_HOME=${LS_HOME:-$root/.localstack}
export LS_PORT=${LS_PORT:-4566}
# One folder per port: two runs in one checkout share the set-up and nothing else.
LS_RUN=$LS_HOME/run/$LS_PORT
# Where functions ask, in place of LocalStack (guard/).
export LS_GUARD_PORT=${LS_GUARD_PORT:-$((LS_PORT + 1))}

export TMPDIR=$LS_RUN/tmp
export FILESYSTEM_ROOT=$LS_RUN/fs
# Host mode even inside a container, where LocalStack would expect its own image's folders.
export OVERRIDE_IN_DOCKER=0
export GATEWAY_LISTEN=127.0.0.1:$LS_PORT
# The host in the URLs it hands out. Not an IP: <id>.lambda-url.us-east-1.127.0.0.1 is no valid host name.
export LOCALSTACK_HOST=localhost:$LS_PORT
# Queue URLs without a name to resolve: http://localhost:PORT/queue/<region>/<account>/<name>.
export SQS_ENDPOINT_STRATEGY=path
# The host of AWS_ENDPOINT_URL inside functions. As in the queue URLs: the SQS client warns about every call otherwise.
export HOSTNAME_FROM_LAMBDA=localhost
export DNS_ADDRESS=0 SKIP_SSL_CERT_DOWNLOAD=1 DISABLE_EVENTS=1 DISABLE_CORS_CHECKS=1
export EAGER_SERVICE_LOADING=0

export PROVIDER_OVERRIDE_DYNAMODB=v2 PROVIDER_OVERRIDE_DYNAMODBSTREAMS=v2 DYNAMODB_IN_MEMORY=1
# One database for all credentials: functions ask DynamoDB Local directly, where LocalStack puts others into the requests.
export DYNAMODB_SHARE_DB=1
# Resource types it does not know deploy as no-ops (dashboards) instead of failing the stack.
export CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES=1

export LAMBDA_RUNTIME_EXECUTOR=rollcall-node
export ROLLCALL_LAMBDA_NODE=${ROLLCALL_LAMBDA_NODE:-$root/node_modules/node/bin/node}
export ROLLCALL_LAMBDA_RUNTIME=$here/executor/runtime.ts
# An idle environment is a process of 70 MB and stays 10 minutes unless told otherwise.
export LAMBDA_KEEPALIVE_MS=${LAMBDA_KEEPALIVE_MS:-120000}
# A poller rests for a second after each batch by default: with one tick per batch, fewer ticks go out than come in. Queues are
# waited for in long polls (executor/rollcall_executor/emulator.py); streams are read as often, with or without records.
export LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC=0.25
# A stream without shards is asked again soon; after 10 s by default, which a test would spend waiting.
export LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC=1
# After errors (a function that is replaced, a queue that is new): 60 s by default, in which no pass begins.
export LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_ERROR_SEC=2
# 1,000 threads by default.
export GATEWAY_WORKER_COUNT=${GATEWAY_WORKER_COUNT:-200}
