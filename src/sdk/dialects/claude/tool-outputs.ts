// Outputs of tools in the spelling of the Claude Agent SDK. Ours is the one of the specification; this one is made of it and
// of what was asked. One rule: what cannot be known is left out, or null if the type has null.
import type {
  AgentOutput,
  BashOutput,
  ExitPlanModeOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  TodoWriteOutput,
  WebFetchOutput,
  WebSearchOutput,
} from '../../../protocol/tool-io.js';
import { isRecord } from '../../../util/json.js';
import type * as Theirs from './sdk-tools.js';

/** @param input of the call @param output as `tool_use_result` has it */
export function claudeOutput(tool: string, input: unknown, output: unknown): unknown {
  const asked = isRecord(input) ? input : {};
  if (!isRecord(output)) return output;
  switch (tool) {
    case 'Bash':
      return bashOutput(output as unknown as BashOutput);
    case 'Read':
      return readOutput(output as unknown as FileReadOutput, asked);
    case 'Edit':
      return editOutput(output as unknown as FileEditOutput, asked);
    case 'Write':
      return writeOutput(output as unknown as FileWriteOutput, asked);
    case 'Glob':
      return globOutput(output as unknown as GlobOutput);
    case 'Grep':
      return grepOutput(output as unknown as GrepOutput, asked);
    case 'ExitPlanMode':
      return planOutput(output as unknown as ExitPlanModeOutput);
    case 'TodoWrite':
      return { oldTodos: [], newTodos: (output as unknown as TodoWriteOutput).todos };
    case 'Agent':
      return agentOutput(output as unknown as AgentOutput, asked);
    case 'WebFetch':
      return pageOutput(output as unknown as WebFetchOutput);
    case 'WebSearch':
      return searchOutput(output as unknown as WebSearchOutput);
    case 'TaskStop':
      return { message: 'Stopped.', task_id: String(output.task_id), task_type: 'local_bash' };
    default:
      return output;
  }
}

function pageOutput({ content, url, statusCode = 0, error }: WebFetchOutput): Theirs.WebFetchOutput {
  // How large the page was and how long it took is not known here.
  return { bytes: 0, code: statusCode, codeText: error ?? '', result: content, durationMs: 0, url };
}

function searchOutput({ query, results }: WebSearchOutput): Theirs.WebSearchOutput {
  return { query, results: [{ tool_use_id: '', content: results }], durationSeconds: 0 };
}

function planOutput({ plan = '', filePath, planWasEdited }: ExitPlanModeOutput): Theirs.ExitPlanModeOutput {
  return {
    plan: plan === '' ? null : plan,
    isAgent: false,
    ...(filePath === undefined ? {} : { filePath }),
    ...(planWasEdited === undefined ? {} : { planWasEdited }),
  };
}

function agentOutput({ result, agent }: AgentOutput, asked: Readonly<Record<string, unknown>>): Theirs.AgentOutput {
  return {
    status: 'completed',
    prompt: String(asked.prompt ?? ''),
    ...(agent === undefined ? {} : { agentType: agent }),
    content: [{ type: 'text', text: result }],
  };
}

function bashOutput({ exitCode: _, ...output }: BashOutput): Theirs.BashOutput {
  return { interrupted: false, isImage: false, noOutputExpected: false, ...output };
}

function readOutput(output: FileReadOutput, { offset }: Readonly<Record<string, unknown>>): unknown {
  switch (output.type) {
    case 'text': {
      const { file_path: filePath, text: content } = output;
      const numLines = content.split('\n').length;
      const startLine = typeof offset === 'number' && offset > 0 ? offset : 1;
      return {
        type: 'text',
        file: { filePath, content, numLines, startLine, totalLines: output.totalLines ?? numLines },
      };
    }
    case 'image': {
      const { media_type: type, data: base64 } = output.source;
      return { type: 'image', file: { base64, type, originalSize: Math.floor((base64.length * 3) / 4) } };
    }
    case 'notebook':
      return { type: 'notebook', file: { filePath: output.file_path, cells: output.cells } };
    case 'file_unchanged':
      return { type: 'file_unchanged', file: { filePath: output.file_path } };
    default:
      return output;
  }
}

function editOutput(
  { file_path: filePath, diff, structuredPatch }: FileEditOutput,
  asked: Readonly<Record<string, unknown>>,
) {
  return {
    filePath,
    oldString: asked.old_string,
    newString: asked.new_string,
    originalFile: null,
    structuredPatch: structuredPatch ?? hunksOf(diff),
    userModified: false,
    replaceAll: asked.replace_all === true,
  };
}

function writeOutput(output: FileWriteOutput, asked: Readonly<Record<string, unknown>>) {
  return {
    type: output.created === true ? 'create' : 'update',
    filePath: output.file_path,
    content: asked.content,
    structuredPatch: output.structuredPatch ?? [],
    originalFile: null,
    userModified: false,
  };
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The parts of a unified diff. */
export function hunksOf(diff: string | undefined): Theirs.StructuredPatchHunk[] {
  const hunks: Theirs.StructuredPatchHunk[] = [];
  for (const line of (diff ?? '').split('\n')) {
    const head = HUNK.exec(line);
    if (head !== null) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1'] = head;
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      });
    } else if (/^[-+ \\]/.test(line)) {
      hunks.at(-1)?.lines.push(line);
    }
  }
  return hunks;
}

function globOutput({ files, totalMatches, truncated = false }: GlobOutput): Theirs.GlobOutput {
  return { filenames: files, durationMs: 0, numFiles: files.length, truncated, totalMatches, countIsComplete: true };
}

function grepOutput({ results, matchCount }: GrepOutput, asked: Readonly<Record<string, unknown>>) {
  const { output_mode: mode = 'files_with_matches' } = asked;
  const lines = results === '' ? [] : results.split('\n');
  if (mode === 'content') return { mode, numFiles: 0, filenames: [], content: results, numLines: lines.length };
  if (mode === 'count')
    return { mode, numFiles: lines.length, filenames: [], content: results, numMatches: matchCount };
  return { mode: 'files_with_matches', filenames: lines, numFiles: lines.length };
}
