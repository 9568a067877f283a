import { silentProgress, type Progress } from '../progress.ts';
import type { PortName } from './ports.ts';
import { defaultStateDir } from './stack-files.ts';
import type { PROVIDER_NAMES } from './stack-names.mjs';

/** Clouds that the embedded stack can run. */
export type StackProvider = (typeof PROVIDER_NAMES)[number];

/** What {@link startStack} is asked for. Everything has a default: `startStack()` is the stack of `npm start`. */
export interface StackOptions {
  /** Folder that holds everything the stack writes. @default `<repository>/.millwright` */
  readonly stateDir?: string;
  /** Empties the state folder first. @default false */
  readonly fresh?: boolean;
  /** The cloud to run; `aws`: moto, which keeps nothing, so that a stack with it begins empty. @default 'simulated' */
  readonly provider?: StackProvider;
  /** etcd, kube-apiserver and kube-controller-manager. @default true */
  readonly withKubernetes?: boolean;
  /** kube-scheduler. @default {@link withKubernetes} */
  readonly withScheduler?: boolean;
  /** Temporal's dev server with its UI. @default true */
  readonly withTemporal?: boolean;
  /** The cloud. @default true */
  readonly withCloud?: boolean;
  /** The cloud has the limits of calls that EC2 documents, and the worker knows them. @default false */
  readonly withCloudLimits?: boolean;
  /** KWOK and the process that registers a Node per running instance. @default {@link withKubernetes} and {@link withCloud} */
  readonly withHollowNodes?: boolean;
  /** Runs `millwright install` before watcher and worker start. @default {@link withWatcher} or {@link withWorker} */
  readonly withInstall?: boolean;
  /** `millwright watcher`. @default {@link withKubernetes} and {@link withTemporal} */
  readonly withWatcher?: boolean;
  /** `millwright worker`. @default {@link withKubernetes} and {@link withTemporal} */
  readonly withWorker?: boolean;
  /** Ports that must be these. @default those of the last start of this state folder where free, else free ones */
  readonly ports?: Readonly<Partial<Record<PortName, number>>>;
  /** Writes of everybody but the simulated kubelets go to `logs/audit.log`, one JSON event a line. @default true */
  readonly auditLog?: boolean;
  /**
   * Seconds without a heartbeat after which a Node turns NotReady; the simulated kubelets beat every third of it.
   * @default 15
   */
  readonly nodeGraceSeconds?: number;
  /** Milliseconds from "the instance runs" to "its Node is registered". @default 1000 */
  readonly joinDelayMs?: number;
  /** More environment for the worker. @default none */
  readonly workerEnv?: Readonly<Record<string, string>>;
  /** More environment for the watcher. @default none */
  readonly watcherEnv?: Readonly<Record<string, string>>;
  /** More arguments after `millwright worker`. @default none */
  readonly workerArgs?: readonly string[];
  /** More arguments after `millwright watcher`. @default none */
  readonly watcherArgs?: readonly string[];
  /** Where to tell what is going on. @default nowhere */
  readonly progress?: Progress;
  /** Gives up a start under way: what it started is stopped, and it rejects with the signal's reason. @default never */
  readonly signal?: AbortSignal;
  /** Called when a process ends that nobody asked to end. @default ignored */
  readonly onUnexpectedExit?: (failure: UnexpectedExit) => void;
}

/** A process that ended by itself. */
export interface UnexpectedExit {
  readonly name: string;
  /** Exit code, or null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Path of its log. */
  readonly log: string;
}

/** {@link StackOptions} with every default filled in. */
export type DefaultedStackOptions = Required<StackOptions>;

export function defaultStackOptions(options: StackOptions): DefaultedStackOptions {
  const withKubernetes = options.withKubernetes ?? true;
  const withTemporal = options.withTemporal ?? true;
  const withCloud = options.withCloud ?? true;
  const withWatcher = options.withWatcher ?? (withKubernetes && withTemporal);
  const withWorker = options.withWorker ?? (withKubernetes && withTemporal);
  return {
    stateDir: defaultStateDir,
    fresh: false,
    provider: 'simulated',
    withKubernetes,
    withScheduler: withKubernetes,
    withTemporal,
    withCloud,
    withCloudLimits: false,
    withHollowNodes: withKubernetes && withCloud,
    withInstall: withWatcher || withWorker,
    withWatcher,
    withWorker,
    ports: {},
    auditLog: true,
    nodeGraceSeconds: 15,
    joinDelayMs: 1000,
    workerEnv: {},
    watcherEnv: {},
    workerArgs: [],
    watcherArgs: [],
    progress: silentProgress,
    signal: new AbortController().signal,
    onUnexpectedExit: () => {},
    ...options,
  };
}
