/** What a Node will be like, before there is one: of the instance, so that what the system keeps for itself is in it. */
export interface NodeShape {
  /** Cores. */
  readonly cpus: number;
  readonly memoryMib: number;
  /** Of the root disk. */
  readonly diskGib?: number;
  readonly gpu?: {
    /** As a device plugin calls it, e.g. `nvidia.com/gpu`. */
    readonly resource: string;
    readonly count: number;
  };
  /** As in the label kubernetes.io/arch. */
  readonly architecture?: string;
  readonly instanceType?: string;
  readonly region?: string;
  readonly zone?: string;
}
