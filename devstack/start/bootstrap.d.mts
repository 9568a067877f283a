interface LockFile {
  readonly packages?: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly integrity?: string;
        readonly optional?: boolean;
        readonly devOptional?: boolean;
        readonly link?: boolean;
      }
    >
  >;
}

/** Runs `npm ci` where node_modules is absent or not what package-lock.json says. Ends this program where that fails. */
export declare function ensureDependencies(): Promise<void>;
/** Why the installed packages are not those of the lock file; undefined where they are. */
export declare function staleDependencies(
  lock: LockFile | undefined,
  installed: LockFile | undefined,
): string | undefined;
/** Path of a Node that runs TypeScript as it is (24 or later). */
export declare function nodeForTypeScript(): string;
/** Goes on as another program and ends with its exit code. */
export declare function continueAs(script: string, args: readonly string[]): void;
