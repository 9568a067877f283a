/** What the exit code of `millwright` tells a script. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  timedOut: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Each exit code in words: for --help and the reference. */
export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [
    EXIT.done,
    'it is done; of a command that only looks: it could look, whatever it saw (`doctor` ends with 1 where it found something wrong)',
  ],
  [EXIT.failed, 'it did not work; one line on stderr says what was attempted, on what, and what came back'],
  [EXIT.usage, 'the command line was not understood'],
  [EXIT.notFound, 'there is no object of that name; nothing was changed'],
  [EXIT.timedOut, 'what was waited for did not come in time; it goes on without being waited for'],
  [EXIT.interrupted, 'Ctrl-C ended the wait; what was asked for goes on without being waited for'],
];
