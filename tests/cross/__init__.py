# SPDX-License-Identifier: Apache-2.0
"""The library on another processor, in an emulator: `make cross-aarch64`."""
