// What a call would touch: files, repositories, what archives hold.
export { resolveCall, resolveSubject } from './resolve-subject.js';
