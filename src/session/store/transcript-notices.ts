// What a transcript has to say of itself: what could not be written, and that it is whole again.
import type { MessageDraft } from '../../engine/state/index.js';
import { isFileError } from '../../host/host.js';
import type { SessionKey } from '../../protocol/session-store.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import { count, errorText } from '../../util/text.js';
import type { LineWatch } from './line-writer.js';

export interface TranscriptNotices extends LineWatch {
  /** A message has something in it that JSON has no form for. */
  onUnwritable(error: unknown): void;
  /** What the host's own store did not take. */
  onMirrorError(error: string, key: SessionKey): void;
  add(drafts: readonly MessageDraft[]): void;
  /** What came up since the last call. */
  take(): readonly MessageDraft[];
}

/** @param path of the transcript */
export function createTranscriptNotices(path: string): TranscriptNotices {
  let drafts: MessageDraft[] = [];
  /** What the disk said last. */
  let lastCode: string | null = null;
  const tell = (code: NoticeCode, level: 'info' | 'warning', message: string, remedy?: string): void => {
    drafts.push({
      type: 'system',
      subtype: 'notice',
      code,
      level,
      message,
      ...(remedy === undefined ? {} : { remedy }),
    });
  };
  return {
    onFailure(error) {
      lastCode = isFileError(error) ? error.code : null;
      tell(
        'transcript_unavailable',
        'warning',
        `The session cannot be written: ${reason(error)}. It goes on, and what happens is kept in memory and written as soon as that works. Until a notice says so, it is lost where this process ends.`,
        `Make room for ${path} or make it writable, or set TURNWRIGHT_HOME to another folder.`,
      );
    },
    onLoss() {
      tell(
        'transcript_entries_lost',
        'warning',
        'The session cannot be written for so long that memory does not hold it any more. Its oldest unwritten messages are being dropped.',
      );
      if (lastCode === 'ENOSPC' || lastCode === 'EDQUOT')
        drafts.push({ type: 'system', subtype: 'session_writes_lost', error_code: lastCode, lost: ['transcript'] });
    },
    onRecovery(written, lost) {
      const gone = lost === 0 ? '' : ` ${count(lost, 'message')} could not be kept.`;
      tell(
        'transcript_recovered',
        'info',
        `The session is written again, with ${count(written, 'line')} that waited.${gone}`,
      );
    },
    onRefusal(error) {
      tell('transcript_unavailable', 'warning', `The session is not kept any more. ${error.message}`);
    },
    onUnwritable(error) {
      tell(
        'transcript_entries_lost',
        'warning',
        `A message has something that cannot be written as JSON, and is kept without it: ${reason(error)}.`,
      );
    },
    onMirrorError(error, key) {
      drafts.push({ type: 'system', subtype: 'mirror_error', error, key });
    },
    add: (more) => void drafts.push(...more),
    take() {
      const told = drafts;
      drafts = [];
      return told;
    },
  };
}

function reason(error: unknown): string {
  return errorText(error).replace(/\.$/, '');
}
