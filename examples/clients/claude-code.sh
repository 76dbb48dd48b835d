#!/bin/sh
# Claude Code: one of these two, not both.

# stdio: Claude Code starts Fingertip, or joins the server that runs.
claude mcp add phone -- /path/to/fingertip mcp --config /path/to/fingertip.toml

# HTTP: to a server that you started. The header only if the settings name a token_env.
# claude mcp add --transport http phone http://127.0.0.1:7311/mcp --header "Authorization: Bearer $FINGERTIP_TOKEN"
