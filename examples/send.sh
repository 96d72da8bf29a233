#!/bin/sh
# Sends one point in InfluxDB line protocol with curl, and sends it again while Tidemark cannot say
# that it is stored. The point has a time, so that it is stored once.
set -eu
: "${TIDEMARK_URL:?the URL of the API, or what tidemark dev prints}"
curl --silent --show-error --fail-with-body --retry 10 --retry-connrefused \
  "$TIDEMARK_URL/api/v2/write?bucket=any&precision=s" \
  --header "Authorization: Token ${TIDEMARK_TOKEN:-any}" \
  --data-binary "room,host=shell,sensor=door temperature=22.4,humidity=45 $(date +%s)"
