/** Calls back at Ctrl-C, in place of the end of the process; answers how to have that no more. */
export function onInterrupt(stop: () => void): () => void {
  process.once('SIGINT', stop);
  return () => {
    process.off('SIGINT', stop);
  };
}
