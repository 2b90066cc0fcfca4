export type * from 'turnwright/sdk-tools';
