// What reads a stored session from end to end: documents of it, and ways back.

export { listRewindPoints, rewindSession } from '../rewind-session.js';
export { exportSession } from '../sessions/index.js';
