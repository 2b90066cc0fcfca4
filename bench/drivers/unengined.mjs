// What a screen needs of a conversation, without an engine: the mock's stream read, calls answered with a word, nothing kept.
// The faces beside ours draw what comes of it, so they do less for each message than our terminal, whose engine runs too.
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: key } = process.env;
const HEADERS = { 'content-type': 'application/json', 'x-api-key': key };

/**
 * One prompt, to its end.
 * @param face  delta(text) of what is written; item(text) for what is finished; doing(word); end(line) when it is over
 */
export async function converse(prompt, face) {
  const messages = [{ role: 'user', content: prompt }];
  const began = performance.now();
  for (let turns = 1; ; turns++) {
    face.doing('Working');
    const body = JSON.stringify({ model: 'mock-model', stream: true, messages });
    const response = await fetch(`${base}/v1/messages`, { method: 'POST', headers: HEADERS, body });
    const calls = [];
    for await (const event of events(response.body)) {
      if (event.type === 'content_block_start' && event.content_block.type === 'tool_use')
        calls[event.index] = { ...event.content_block, json: '' };
      if (event.type === 'content_block_start' && event.content_block.type === 'text') face.doing('Writing');
      if (event.delta?.type === 'text_delta') face.delta(event.delta.text);
      if (event.delta?.type === 'input_json_delta') calls[event.index].json += event.delta.partial_json;
    }
    if (calls.length === 0) {
      face.end(`${turns} ${turns === 1 ? 'turn' : 'turns'} · ${((performance.now() - began) / 1_000).toFixed(1)} s`);
      return;
    }
    const content = calls.map(({ id, name, json }) => ({ type: 'tool_use', id, name, input: JSON.parse(json) }));
    messages.push({ role: 'assistant', content });
    for (const { name, input } of content) {
      face.item(`● ${name}`);
      face.item(`[ ] ${input.todos[0].content}`);
      await undefined;
    }
    messages.push({
      role: 'user',
      content: content.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Done.' })),
    });
  }
}

async function* events(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) yield JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
  }
}
