// The events of a Streamable HTTP server, so that a stream that broke can go on.
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

export class InMemoryEventStore implements EventStore {
  onStored: (message: JSONRPCMessage) => void = () => undefined;
  readonly #events: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}#${this.#events.length}`;
    this.#events.push({ id, stream, message });
    this.onStored(message);
    return id;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === lastEventId);
    const stream = this.#events[at]?.stream ?? '';
    for (const { id, stream: of, message } of this.#events.slice(at + 1))
      if (of === stream && Object.keys(message).length > 0) await send(id, message);
    return stream;
  }
}
