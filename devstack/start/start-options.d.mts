import type { PORT_NAMES, PROVIDER_NAMES } from '../stack/stack-names.mjs';

export declare const START_HELP: string;
export declare const STOP_HELP: string;

/** The command line is not one we know; the message says why. */
export declare class WrongArguments extends Error {}

export interface StartArguments {
  readonly help: boolean;
  /** Return when all is ready. */
  readonly detach: boolean;
  /** Apply the example. */
  readonly example: boolean;
  /** Empty the state folder first. */
  readonly fresh: boolean;
  readonly stateDir: string | undefined;
  readonly provider: (typeof PROVIDER_NAMES)[number];
  /** The cloud has the limits of calls that EC2 documents. */
  readonly cloudLimits: boolean;
  /** Seconds; undefined: the stack's own for Nodes, and the worker's for health checks. */
  readonly nodeMonitorGrace: number | undefined;
  readonly ports: Readonly<Partial<Record<(typeof PORT_NAMES)[number], number>>>;
  /** Undefined: the embedded stack. */
  readonly external: ExternalArguments | undefined;
}

/** Which cluster and which Temporal of one's own. What is undefined is as kubectl and temporal have it. */
export interface ExternalArguments {
  /** Do not ask. */
  readonly yes: boolean;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Profile of temporal.toml. */
  readonly profile: string | undefined;
  readonly temporalAddress: string | undefined;
  readonly temporalNamespace: string | undefined;
  /** The one Kubernetes namespace that the watcher looks at. */
  readonly namespace: string | undefined;
  readonly taskQueue: string | undefined;
}

export interface StopArguments {
  readonly help: boolean;
  readonly stateDir: string | undefined;
}

/** @throws WrongArguments */
export declare function parseStartArguments(args: readonly string[]): StartArguments;
/** @throws WrongArguments */
export declare function parseStopArguments(args: readonly string[]): StopArguments;
