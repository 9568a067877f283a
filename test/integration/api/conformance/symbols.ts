/** Symbols, that each server has its own value for. */
/** The uid of the object that the request is about, as it was seen last. */
export const UID = '«uid»';
/** Its version, as it was seen last. */
export const VERSION = '«version»';
/** Its version, as it was seen first. */
export const STALE = '«stale version»';
/** The namespace of all, and its uid: an owner that stays. */
export const NAMESPACE = '«namespace»';
export const KEEPER = '«uid of the namespace»';
/** The uid of the MachineSet `a`, and what all names begin with. */
export const SET = '«uid of the set»';
export const NAME = '«name»';
/** The name of the object that the request is about. */
export const TARGET = '«target»';
/** Of the target: the object that was last given a name by its server. */
export const GENERATED = 'generated';
export const OTHER = '11111111-2222-4333-8444-555555555555';

/** What stands in a kind's objects: parts of the body, each with what may stand there. */
export interface Parts {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  /** Without it the object is refused. */
  readonly least: Readonly<Record<string, unknown>>;
  /** In all that is written by create and apply. */
  readonly always?: Readonly<Record<string, unknown>>;
  readonly main: Readonly<Record<string, readonly unknown[]>>;
  readonly status?: readonly unknown[];
  readonly hasScale?: boolean;
  /** What its definition refuses or does not know. */
  readonly malformed?: { readonly spec: readonly unknown[]; readonly status: readonly unknown[] };
  /** How it is written, where it is not by each verb. */
  readonly verbs?: readonly ('create' | 'get' | 'list' | 'mergePatch' | 'delete' | 'watch')[];
  /** Field selectors. */
  readonly fields: readonly string[];
}

/** A part whose one field may be each of these. */
export const each = (field: string, values: readonly unknown[]) => values.map((value) => ({ [field]: value }));

/** What all times are. */
export const TIME = '2026-01-01T00:00:00Z';
