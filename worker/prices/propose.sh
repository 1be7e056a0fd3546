#!/usr/bin/env bash
# Proposes the changes of refresh.mjs as a pull request of the branch "prices", and starts its tests.
# Without a change it does nothing. The job "propose" of .github/workflows/release.yml runs it, with
# the job's token in GH_TOKEN.
set -euo pipefail
cd "$(dirname "$0")/../.."
if git diff --quiet; then exit 0; fi
base=$(git symbolic-ref --short HEAD)
title="Take the prices of $(sed -n '1s/^{"source":"\([^"]*\)".*/\1/p' worker/prices/table.json)"
git switch -q -C prices
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
	commit -qam "$title"
# gh gives git the token for this push only: no file of the clone has it
git -c credential.helper='!gh auth git-credential' push -qf origin prices
if [[ $(gh pr list --head prices --state open --json number --jq length) == 0 ]]; then
	gh pr create --head prices --base "$base" --title "$title" --body \
		'The regenerated price table (worker/prices/refresh.mjs). Its tests are a run of the workflow test.'
fi
gh workflow run test.yml --ref prices
