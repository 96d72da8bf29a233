#!/usr/bin/env bash
# Deploys a stage's template to moto, a mock of AWS, and compares the created
# resources with the configuration. It needs Python 3 and, the first time, PyPI. Without them
# it prints that it was skipped, and succeeds.
#
#   scripts/mockcloud/run.sh STAGE [TEMPLATE]
#
# The default TEMPLATE is the output of make synth, or the golden template if that or
# tidemark.yaml is newer.
set -euo pipefail
cd "$(dirname "$0")/../.."

stage=$1
venv=build/venv
synthesized=infra/cdk.out/tidemark-$stage.template.json
golden=infra/testdata/$stage.template.json
template=${2:-$golden}
if [[ -z ${2:-} && $synthesized -nt $golden && $synthesized -nt tidemark.yaml ]]; then template=$synthesized; fi
[[ -f $template ]] || { echo "deploy-mock: no template of stage $stage: run make synth"; exit 1; }

if ! scripts/venv.sh; then
  echo "skipped: deploy-mock: moto cannot be installed here (see $venv.log)"
  exit 0
fi

work=$(mktemp -d)
port=$("$venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$venv/bin/moto_server" -H 127.0.0.1 -p "$port" >"$work/moto.log" 2>&1 &
mock=$!
trap 'kill "$mock" 2>/dev/null; wait "$mock" 2>/dev/null || true; rm -rf "$work"' EXIT

for _ in $(seq 480); do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
  kill -0 "$mock" 2>/dev/null || { cat "$work/moto.log"; exit 1; }
  sleep 0.25
done

echo "deploy-mock: $template"
go run ./scripts/mockcloud "$stage" >"$work/expected.json"
"$venv/bin/python" scripts/mockcloud/deploy.py "http://127.0.0.1:$port" "$stage" "$template" "$work/expected.json"
