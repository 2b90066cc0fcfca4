// Writing to stdout and stderr: waits if the reader is slow, and takes a reader that went away calmly.

/** One output stream. Contract: no method throws or rejects. */
export interface Output {
  /** Resolves when more may be written: at once, or when a slow reader has caught up, or when there is no reader. */
  write(text: string): Promise<void>;
  /** Resolves when everything written so far was handed over, or nobody reads any more. */
  flush(): Promise<void>;
  /** True once nothing can be written any more: the reader has gone, or the file took no more. */
  readonly closed: boolean;
  /** Why the file that this goes to took no more, such as a full disk. Null if the reader went. */
  readonly failure: Error | null;
  /** Called once when the reader goes. */
  onClosed(listener: () => void): void;
}

/** What a file says that takes no more. All other errors of a stream mean that nobody reads what we write. */
const LOST_ON_THE_WAY: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

export function createOutput(stream: NodeJS.WritableStream): Output {
  let closed = false;
  let failure: Error | null = null;
  const listeners: (() => void)[] = [];
  const onGone = () => {
    if (closed) return;
    closed = true;
    for (const listener of listeners.splice(0)) listener();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!closed && LOST_ON_THE_WAY.has(error.code ?? '')) failure = error;
    onGone();
  });
  stream.on('close', onGone);

  const settled = (start: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      if (closed) return resolve();
      listeners.push(resolve);
      start(() => {
        const at = listeners.indexOf(resolve);
        if (at !== -1) listeners.splice(at, 1);
        resolve();
      });
    });

  return {
    write(text) {
      if (closed || text === '' || stream.write(text)) return Promise.resolve();
      return settled((done) => stream.once('drain', done));
    },
    flush: () => settled((done) => stream.write('', () => done())),
    get closed() {
      return closed;
    },
    get failure() {
      return failure;
    },
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
}
