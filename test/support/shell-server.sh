# An MCP server in the shell, which starts in a moment: its one tool `run` runs a script that comes in base64, and says
# what that printed. For bash.
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }

while read -r line; do
  [[ $line =~ \"id\":([0-9]+|\"[^\"]*\") ]] || continue
  id=${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      [[ $line =~ \"protocolVersion\":(\"[^\"]*\") ]]
      answer "{\"protocolVersion\":${BASH_REMATCH[1]},\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"shell\",\"version\":\"1\"}}" ;;
    *'"method":"tools/list"'*)
      answer '{"tools":[{"name":"run","inputSchema":{"type":"object","properties":{"script":{"type":"string"}}}}]}' ;;
    *'"method":"tools/call"'*)
      [[ $line =~ \"script\":\"([^\"]*)\" ]]
      said=$(bash -c "$(base64 -d <<< "${BASH_REMATCH[1]}")" 2>&1 < /dev/null)
      said=${said//\\/\\\\} said=${said//\"/\\\"} said=${said//$'\n'/\\n}
      said=${said//[[:cntrl:]]/ }
      answer "{\"content\":[{\"type\":\"text\",\"text\":\"$said\"}]}" ;;
    *) answer '{}' ;;
  esac
done
