// Questions to a person at a terminal, line by line.

export { askPerson } from './ask-person.js';
export { askTrust } from './ask-trust.js';
export { openPage } from './open-page.js';
