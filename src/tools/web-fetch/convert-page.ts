// Markdown of a page, made in a thread of its own with limits of time and memory, so that no page holds up the session.
import { runWorkerJob } from '../../host/processes/index.js';
import { AbortError, ToolError } from '../../protocol/errors.js';
import type { HtmlPage, MarkdownPage } from '../../providers/web/index.js';

const MODULES = ['../page-markdown.js', '../../../dist/page-markdown.js'];
/** Far more than a page of the largest size takes. */
const MAX_MS = 10_000;
const MEMORY_MB = 192;

/** @throws ToolError for a page that nothing can be made of; AbortError */
export async function convertPage(page: HtmlPage, signal: AbortSignal): Promise<MarkdownPage> {
  const end = await runWorkerJob({
    modules: MODULES.map((module) => new URL(module, import.meta.url).href),
    name: 'pageMarkdown',
    input: page,
    timeoutMs: MAX_MS,
    memoryMb: MEMORY_MB,
    signal,
  });
  switch (end.kind) {
    case 'done':
      return end.value as MarkdownPage;
    case 'aborted':
      throw new AbortError('The page was not read: aborted.');
    case 'timed_out':
      throw notConverted(`it took more than ${MAX_MS / 1_000} s`);
    case 'out_of_memory':
      throw notConverted(`it takes more than ${MEMORY_MB} MB`);
    case 'no_module':
      throw notConverted('the file that does it is missing. Reinstall Turnwright, or leave it out of your bundle');
    case 'failed':
      throw notConverted(end.message);
    default:
      return end satisfies never;
  }
}

function notConverted(why: string): ToolError {
  return new ToolError(`The page cannot be turned into text: ${why}.`);
}
