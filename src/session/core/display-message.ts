// A reply as hooks let it be shown. One rule: what the model said is kept and sent as it is; only who shows it shows
// something else. Loaded if a hook listens.
import type { AssistantMessage } from '../../protocol/content.js';
import type { Runtime } from './session.js';

/**
 * What is shown in place of the text of a reply; null: the text itself. A reply is shown whole, so there is one firing for
 * each that has a text.
 */
export async function displayedText(
  { hooks, promptFacts }: Pick<Runtime, 'hooks' | 'promptFacts'>,
  { content }: AssistantMessage,
  uuid: string,
): Promise<string | null> {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (text === '') return null;
  const { displayContent } = await hooks.run('MessageDisplay', {
    turn_id: promptFacts().prompt_id ?? '',
    message_id: uuid,
    index: 0,
    final: true,
    delta: text,
  });
  return displayContent === text ? null : displayContent;
}
