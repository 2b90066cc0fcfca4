// A query whose session runs in a child process.
