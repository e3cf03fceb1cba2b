export const path = '/hello';
