# SPDX-License-Identifier: Apache-2.0
# Recipes written for upstream source this name; the work is done in one place.
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/../set_env.sh"
