// Questions to a person at a terminal, line by line.

export { askPerson, askTrust } from './ask-person.js';
export { openPage } from './open-page.js';
