// Scripts that let a shell complete flags and commands.

export { bashScript, fishScript, zshScript } from './scripts.js';
export { type Vocabulary, vocabulary } from './vocabulary.js';
