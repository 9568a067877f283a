/** What a MachineClass says of its Nodes. What is absent it does not tell. */
export interface NodeTemplate {
  /** Quantities, by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly instanceType?: string;
  readonly region?: string;
  readonly zone?: string;
  readonly architecture?: string;
}
