import type { ServerName } from '../../servers/catalog.ts';
import type { MotoCommand } from '../../servers/moto.ts';
import type { Tokens } from '../credentials.ts';
import type { Ports } from '../ports.ts';
import type { StackFiles } from '../stack-files.ts';
import type { DefaultedStackOptions } from '../stack-options.ts';

/** What the files beside this one make their command lines from. */
export interface StackContext {
  readonly options: DefaultedStackOptions;
  readonly files: StackFiles;
  readonly ports: Ports;
  readonly tokens: Tokens;
  /** Path of a server's binary. */
  readonly binary: (name: ServerName) => string;
  /** How to run moto; undefined: it is not part of this stack. */
  readonly moto: MotoCommand | undefined;
}
