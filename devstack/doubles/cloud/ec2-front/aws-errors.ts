/** Errors on the wire, as EC2 and as the load balancers write them. */

import { randomUUID } from 'node:crypto';
import { CloudError } from '../cloud-error.ts';
import type { QueryRequest } from './query-request.ts';
import { element, parseXml, printXml, textOf, type XmlElement } from './xml.ts';

/** Codes that the load balancers have another name for. */
const ELB_CODES: Readonly<Record<string, { readonly code: string; readonly status?: number }>> = {
  RequestLimitExceeded: { code: 'Throttling', status: 400 },
  InternalError: { code: 'InternalFailure' },
  UnauthorizedOperation: { code: 'AccessDenied' },
  AuthFailure: { code: 'InvalidClientTokenId', status: 403 },
};

export interface WireAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer that carries an error. */
export function errorAnswer(error: CloudError, request: QueryRequest): WireAnswer {
  const requestId = randomUUID();
  if (request.service === 'ec2') {
    const errors = element('Errors', [
      element('Error', [element('Code', error.code), element('Message', error.message)]),
    ]);
    return wire(error.status, element('Response', [errors, element('RequestID', requestId)]));
  }
  const { code, status } = ELB_CODES[error.code] ?? { code: error.code };
  const answeredStatus = status ?? error.status;
  const details = element('Error', [
    element('Type', answeredStatus < 500 ? 'Sender' : 'Receiver'),
    element('Code', code),
    element('Message', error.message),
  ]);
  const namespace = ` xmlns="http://elasticloadbalancing.amazonaws.com/doc/${request.version}/"`;
  return wire(answeredStatus, element('ErrorResponse', [details, element('RequestId', requestId)], namespace));
}

/** An answer of EC2; `children` come before the request id. */
export function ec2Answer(action: string, children: readonly XmlElement[]): WireAnswer {
  const namespace = ' xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"';
  return wire(200, element(`${action}Response`, [element('requestId', randomUUID()), ...children], namespace));
}

export function wire(status: number, root: XmlElement): WireAnswer {
  return { status, body: `<?xml version="1.0" encoding="UTF-8"?>\n${printXml(root)}` };
}

/** moto's own words for what EC2 calls otherwise. */
const CODE_OF_MOTO: Readonly<Record<string, string>> = {
  'InvalidInstanceType.NotFound': 'InvalidParameterValue',
};

/** What moto's refusal says, as the error it is. What is no error of AWS is a hole in moto. */
export function errorOfMoto({ status, body }: WireAnswer, action: string): CloudError {
  try {
    const root = parseXml(body);
    const error = [root, root.children.find(({ name }) => name === 'Errors')]
      .flatMap((parent) => parent?.children ?? [])
      .find(({ name }) => name === 'Error');
    const code = textOf(error, 'Code');
    if (code !== '') return new CloudError(CODE_OF_MOTO[code] ?? code, textOf(error, 'Message'), { status });
  } catch {
    // An HTML page: the Python code behind it threw.
  }
  return new CloudError('InternalError', `moto has no answer to this ${action}; its log tells why.`, { status: 500 });
}
