// Writing to stdout and stderr: waits if the reader is slow, and takes a reader that went away calmly.

/** One output stream. Contract: no method throws or rejects. */
export interface Output {
  /** Resolves when more may be written: at once, or when a slow reader has caught up, or when there is no reader. */
  write(text: string): Promise<void>;
  /** Resolves when everything written so far was handed over, or nobody reads any more. */
  flush(): Promise<void>;
  /** True once the reader has gone. */
  readonly closed: boolean;
  /** Called once when the reader goes. */
  onClosed(listener: () => void): void;
}

export function createOutput(stream: NodeJS.WritableStream): Output {
  let closed = false;
  const listeners: (() => void)[] = [];
  const onGone = () => {
    if (closed) return;
    closed = true;
    for (const listener of listeners.splice(0)) listener();
  };
  // EPIPE and everything else that ends a stream mean the same here: nobody reads what we write.
  stream.on('error', onGone);
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
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
}
