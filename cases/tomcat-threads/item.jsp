<%-- SPDX-License-Identifier: Apache-2.0
     A page about an item: its text comes from the catalogue service, each thread has a connection to it. --%>
<%@ page contentType="text/html" session="false" import="java.io.*,java.net.*,java.util.*" %>
<%!
  static final ThreadLocal<Socket> SERVICE = ThreadLocal.withInitial(() -> {
    try {
      Socket socket = new Socket("127.0.0.1", Integer.getInteger("cataloguePort"));
      socket.setTcpNoDelay(true);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  });

  static String text() throws IOException {
    Socket socket = SERVICE.get();
    socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: c\r\n\r\n".getBytes());
    byte[] answer = new byte[4096];
    int got = socket.getInputStream().read(answer);
    return new String(answer, 0, got);
  }
%>
<html><body><pre><%= text().length() %></pre>
<ul>
<% for (int i = 0; i < 50; i++) { %><li>row <%= i %></li>
<% } %>
</ul></body></html>
