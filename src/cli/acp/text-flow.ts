// Text that a client only ever appends to, out of parts that are streamed and then come again whole. One rule: nothing is
// said twice. What an attempt said that was withdrawn cannot be taken back, so the next attempt goes on where its text
// is the same, and else begins a message of its own.

export interface TextFlow {
  /** A part of a message that is being streamed. */
  delta(messageId: string, text: string): void;
  /** The message as a whole, streamed or not. */
  whole(messageId: string, text: string): void;
  /** The attempt that streamed this message failed; another one follows. */
  withdraw(messageId: string): void;
  /** Nothing follows any more. */
  end(): void;
}

interface Message {
  readonly id: string;
  /** The message that the client knows it as. */
  as: string;
  text: string;
  /** What a withdrawn attempt showed and this one has not said differently yet. */
  shown: Message | null;
}

export function createTextFlow(emit: (messageId: string, text: string) => void): TextFlow {
  let current: Message | null = null;
  let withdrawn: Message | null = null;

  const messageOf = (id: string): Message => {
    if (current?.id === id) return current;
    current = { id, as: id, text: '', shown: withdrawn };
    withdrawn = null;
    return current;
  };

  const add = (message: Message, text: string): void => {
    const { shown } = message;
    message.text += text;
    if (shown === null) emit(message.as, text);
    else if (!shown.text.startsWith(message.text)) {
      message.shown = null;
      const isSame = message.text.startsWith(shown.text);
      if (isSame) message.as = shown.as;
      emit(message.as, isSame ? message.text.slice(shown.text.length) : message.text);
    }
  };

  return {
    delta(messageId, text) {
      if (text !== '') add(messageOf(messageId), text);
    },
    whole(messageId, text) {
      if (text === '') return;
      const message = messageOf(messageId);
      if (text.startsWith(message.text) && text.length > message.text.length)
        add(message, text.slice(message.text.length));
      // It ended before what the withdrawn attempt had shown.
      if (message.shown !== null && message.shown.text !== message.text) emit(message.id, message.text);
      message.shown = null;
    },
    withdraw(messageId) {
      if (current?.id !== messageId) return;
      const { shown, text } = current;
      // An attempt that only repeated what was shown has shown nothing of its own.
      withdrawn = shown ?? (text === '' ? null : current);
      current = null;
    },
    end() {
      current = null;
      withdrawn = null;
    },
  };
}
